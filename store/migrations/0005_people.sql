-- The rows of the sample business come and go with the sample help centre (store/business.py).
DELETE FROM subscriptions
WHERE tenant = 'default' AND user_id IN ('demo', 'alice', 'bob', 'carol')
  AND NOT EXISTS (SELECT FROM collections WHERE name = 'sample');

CREATE TABLE invoices (
    tenant     text NOT NULL,
    invoice_no text NOT NULL,
    user_id    text NOT NULL,
    title      text NOT NULL,
    issued_on  date NOT NULL,
    PRIMARY KEY (tenant, invoice_no)
);

-- What the actions wrote. The id is that of the approval, so that an action happens once.
CREATE TABLE refunds (
    action_id     uuid PRIMARY KEY,
    tenant        text NOT NULL,
    user_id       text NOT NULL,
    plan          text NOT NULL,
    billing_cycle text NOT NULL,
    reason        text NOT NULL,
    requested_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE invoice_reissues (
    action_id   uuid PRIMARY KEY,
    tenant      text NOT NULL,
    user_id     text NOT NULL,
    invoice_no  text NOT NULL,
    old_title   text NOT NULL,
    title       text NOT NULL,
    reissued_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, invoice_no)
);

-- Calls of write-tier tools, and what a person decided on them.
CREATE TABLE approvals (
    approval_id uuid PRIMARY KEY,
    thread_id   uuid NOT NULL,
    tenant      text NOT NULL,
    user_id     text NOT NULL,
    tool        text NOT NULL,
    args        jsonb NOT NULL,
    description text NOT NULL,
    run         jsonb NOT NULL,
    status      text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'edited', 'refused')),
    final_args  jsonb,
    note        text NOT NULL DEFAULT '',
    decided_by  text NOT NULL DEFAULT '',
    decided_at  timestamptz,
    started_at  timestamptz,
    outcome     jsonb,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX approvals_pending ON approvals (tenant, created_at) WHERE status = 'pending';
CREATE INDEX approvals_thread ON approvals (thread_id);

-- Conversations that a person has taken over. The key names what opened the ticket, so that it is opened once.
CREATE TABLE tickets (
    ticket_id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key            text NOT NULL UNIQUE,
    thread_id      uuid NOT NULL,
    tenant         text NOT NULL,
    user_id        text NOT NULL,
    reason         text NOT NULL,
    summary        text NOT NULL,
    tried          jsonb NOT NULL,
    evidence       jsonb NOT NULL,
    open_questions jsonb NOT NULL,
    opened_at      timestamptz NOT NULL DEFAULT now(),
    closed_at      timestamptz,
    closed_by      text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX tickets_open ON tickets (thread_id) WHERE closed_at IS NULL;

-- What was said while a person had the conversation.
CREATE TABLE ticket_messages (
    ticket_id  integer NOT NULL REFERENCES tickets ON DELETE CASCADE,
    message_id text NOT NULL,
    author     text NOT NULL,
    text       text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (ticket_id, message_id)
);
