CREATE EXTENSION IF NOT EXISTS vector;

-- A collection is one folder of documents under one name. What readers see is the live row; while it is
-- indexed anew a second row, not live, grows beside it and takes its place at the end.
CREATE TABLE collections (
    id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL,
    live       boolean NOT NULL,
    embedder   text NOT NULL,
    dimensions integer NOT NULL,
    source     text NOT NULL,
    version    bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX collections_live ON collections (name) WHERE live;

-- The chunks of collection n lie in the table chunks_n, their terms in postings_n.
CREATE TABLE documents (
    collection integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    doc_id     text NOT NULL,
    path       text NOT NULL,
    hash       text NOT NULL,
    title      text NOT NULL,
    body       text NOT NULL,
    chunks     integer NOT NULL,
    terms      bigint NOT NULL,
    PRIMARY KEY (collection, doc_id)
);
