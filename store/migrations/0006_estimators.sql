-- What was learned about how a model counts tokens, so that the next process starts calibrated.
CREATE TABLE estimators (
    model text PRIMARY KEY,
    state jsonb NOT NULL
);
