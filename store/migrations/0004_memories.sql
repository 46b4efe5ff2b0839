-- Which embedder filled the vectors of the memories; one row.
CREATE TABLE memory_embedder (
    one_row    boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    name       text NOT NULL,
    dimensions integer NOT NULL
);

-- Raised whenever a user is forgotten: a write that was begun before is refused. The owner is a digest.
CREATE TABLE memory_epochs (
    owner text PRIMARY KEY,
    epoch bigint NOT NULL
);

-- What users ask about, counted.
CREATE TABLE memory_topics (
    tenant  text NOT NULL,
    user_id text NOT NULL,
    topic   text NOT NULL,
    count   bigint NOT NULL,
    last    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, user_id, topic)
);

-- How far a thread was read for memories: the checkpoint whose messages are done with.
CREATE TABLE memory_cursors (
    thread_id     text PRIMARY KEY,
    checkpoint_id text NOT NULL
);

-- Answers of a model that could not be read, put aside; private values redacted.
CREATE TABLE memory_dead_letters (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     text NOT NULL,
    user_id    text NOT NULL,
    thread_id  text NOT NULL,
    answer     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
