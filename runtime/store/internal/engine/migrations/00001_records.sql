-- What is kept of calls. Times are Unix milliseconds, texts are never NULL: '' is nothing.

-- One row for one call: the keys by which it is found, and the audit digest.
CREATE TABLE records (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    result_id     TEXT COLLATE "C" NOT NULL,
    invocation_id TEXT COLLATE "C" NOT NULL,
    request_id    TEXT COLLATE "C" NOT NULL,
    task_id       TEXT COLLATE "C" NOT NULL,
    tool          TEXT COLLATE "C" NOT NULL,
    command       TEXT COLLATE "C" NOT NULL,
    status        TEXT COLLATE "C" NOT NULL,
    code          TEXT COLLATE "C" NOT NULL,
    actor         TEXT COLLATE "C" NOT NULL,
    source        TEXT COLLATE "C" NOT NULL,
    protocol      TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    size          BIGINT NOT NULL,
    kept          BIGINT NOT NULL, -- bytes of the result that are still there: size, or 0
    digest        TEXT NOT NULL
);

-- Lists are newest first. Trailing columns let a filter be decided in the index. Most calls succeed, and
-- most programs have one actor or none, so these two index only what is worth looking for.
CREATE INDEX records_created ON records (created_at, id, kept, status);
CREATE INDEX records_tool ON records (tool, created_at, id, command, status);
CREATE INDEX records_failed ON records (status, created_at, id, tool, command) WHERE status <> 'success';
CREATE INDEX records_actor ON records (actor, created_at, id, tool, status) WHERE actor <> '';
CREATE INDEX records_request ON records (request_id, created_at, id);

-- The canonical bytes, with their structure index.
CREATE TABLE results (
    result_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    record_id TEXT COLLATE "C" NOT NULL,
    resources BIGINT NOT NULL, -- how many rows of result_resources it has
    layout    TEXT NOT NULL,
    body      TEXT NOT NULL
);

CREATE TABLE result_resources (
    resource_id TEXT COLLATE "C" NOT NULL,
    result_id   TEXT COLLATE "C" NOT NULL,
    sha256      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (resource_id, result_id)
);

CREATE INDEX result_resources_result ON result_resources (result_id);
CREATE INDEX result_resources_sha256 ON result_resources (sha256) WHERE sha256 <> '';

-- Effects that are about to happen. A row is deleted by the commit of its result.
CREATE TABLE intents (
    invocation_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner         TEXT COLLATE "C" NOT NULL, -- which process will resolve it
    key_hash      TEXT COLLATE "C" NOT NULL,
    request_id    TEXT COLLATE "C" NOT NULL,
    task_id       TEXT COLLATE "C" NOT NULL,
    tool          TEXT COLLATE "C" NOT NULL,
    display_name  TEXT COLLATE "C" NOT NULL,
    version       TEXT COLLATE "C" NOT NULL,
    command       TEXT COLLATE "C" NOT NULL,
    effect        TEXT COLLATE "C" NOT NULL,
    source        TEXT COLLATE "C" NOT NULL,
    has_actor     BIGINT NOT NULL,
    actor_type    TEXT COLLATE "C" NOT NULL,
    actor_id      TEXT COLLATE "C" NOT NULL,
    actor_name    TEXT COLLATE "C" NOT NULL,
    actor_maid    TEXT COLLATE "C" NOT NULL,
    request_ip    TEXT COLLATE "C" NOT NULL,
    node_id       TEXT COLLATE "C" NOT NULL,
    started_at    BIGINT NOT NULL,
    timeout_ms    BIGINT NOT NULL,
    arguments     TEXT COLLATE "C" NOT NULL -- hexadecimal SHA-256
);

-- Names by which callers say that two requests are one; hash is of owner and name.
CREATE TABLE idempotency_keys (
    hash          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    digest        TEXT COLLATE "C" NOT NULL, -- of the request
    invocation_id TEXT COLLATE "C" NOT NULL,
    result_id     TEXT COLLATE "C" NOT NULL, -- '' while in flight
    created_at    BIGINT NOT NULL
);

CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
