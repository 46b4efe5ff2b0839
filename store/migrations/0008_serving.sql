-- How far a user's allowance of turns is used up: the time at which it is whole again. One row a user.
CREATE TABLE turn_allowance (
    tenant  text NOT NULL,
    user_id text NOT NULL,
    whole   timestamptz NOT NULL,
    PRIMARY KEY (tenant, user_id)
);

-- What users thought of an answer, with what the answer rested on.
CREATE TABLE feedback (
    thread_id  uuid NOT NULL,
    message_id text NOT NULL,
    tenant     text NOT NULL,
    user_id    text NOT NULL,
    helpful    boolean NOT NULL,
    reason     text NOT NULL,
    question   text NOT NULL,
    answer     text NOT NULL,
    passages   text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (thread_id, message_id)
);
CREATE INDEX feedback_tenant ON feedback (tenant, created_at);
