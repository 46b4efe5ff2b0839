-- A gap goes with the conversation in which it was found.
ALTER TABLE gaps ADD COLUMN thread_id uuid;
CREATE INDEX ON gaps (thread_id);
