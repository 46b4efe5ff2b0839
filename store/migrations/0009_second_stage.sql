-- What the second stage of the search looks at. A vector of a passage by a slower model comes after the ingestion;
-- the numbers of a collection's chunks are never given twice, so a row that outlives its chunk does no harm.
CREATE TABLE refined (
    collection integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    chunk      integer NOT NULL,
    model      text NOT NULL,
    embedding  vector NOT NULL,
    PRIMARY KEY (collection, chunk, model)
);

-- Words of the documents, whatever the collection, as half-precision floats.
CREATE TABLE words (
    model     text NOT NULL,
    word      text COLLATE "C" NOT NULL,
    embedding bytea NOT NULL,
    PRIMARY KEY (model, word)
);
