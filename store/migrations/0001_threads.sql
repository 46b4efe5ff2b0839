-- A conversation belongs to the tenant and the user who began it.
CREATE TABLE threads (
    thread_id  uuid PRIMARY KEY,
    tenant     text NOT NULL,
    user_id    text NOT NULL,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX threads_owner ON threads (tenant, user_id);

-- The sample business system: what it says of a user outranks every memory.
CREATE TABLE subscriptions (
    tenant        text NOT NULL,
    user_id       text NOT NULL,
    plan          text NOT NULL,
    billing_cycle text NOT NULL,
    renews_on     date NOT NULL,
    seats         integer NOT NULL,
    PRIMARY KEY (tenant, user_id)
);
INSERT INTO subscriptions VALUES
    ('default', 'demo',  '专业版', '年付', '2027-03-01', 3),
    ('default', 'alice', '企业版', '年付', '2027-06-15', 25),
    ('default', 'bob',   '专业版', '月付', '2026-12-20', 2),
    ('default', 'carol', '免费版', '无',   '2099-12-31', 1);
