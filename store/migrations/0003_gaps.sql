-- Questions that ended without an answer.
CREATE TABLE gaps (
    message_id text PRIMARY KEY,
    tenant     text NOT NULL,
    collection text NOT NULL,
    question   text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
