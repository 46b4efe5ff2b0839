-- How far the turns that left the window were searched for confirmed facts.
ALTER TABLE memory_cursors ADD COLUMN facts_to integer NOT NULL DEFAULT 1;
