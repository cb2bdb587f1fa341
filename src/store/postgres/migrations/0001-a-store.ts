/**
 * SQL that creates the tables of a store. Hashes of objects and files are the SHA-256 of their content, so nobody has to trust the
 * table. `parent`, and the trail's columns beside `entry`, only serve searches: the text is authoritative, and is checked when it
 * is read.
 */
export const aStore = `
CREATE TABLE holdfast.secrets (
  name text PRIMARY KEY,
  bytes bytea NOT NULL
);
CREATE TABLE holdfast.objects (
  hash bytea PRIMARY KEY,
  parent bytea,
  body text NOT NULL
);
CREATE TABLE holdfast.files (
  hash bytea PRIMARY KEY,
  bytes bytea NOT NULL
);
CREATE TABLE holdfast.effects (
  key text COLLATE "C" NOT NULL,
  dispatch integer NOT NULL,
  version integer NOT NULL,
  -- Made up by whoever creates the row: after a lost connection it knows its own.
  creator uuid NOT NULL,
  by_digest text COLLATE "C" NOT NULL,
  by_act text COLLATE "C",
  record text NOT NULL,
  PRIMARY KEY (key, dispatch, version)
);
CREATE INDEX effects_by_digest ON holdfast.effects (by_digest) WHERE version = 1;
CREATE INDEX effects_by_act ON holdfast.effects (by_act) WHERE version = 1;
CREATE TABLE holdfast.trail (
  position text COLLATE "C" PRIMARY KEY,
  entry text NOT NULL,
  turn text COLLATE "C" NOT NULL,
  requester text COLLATE "C" NOT NULL,
  decided_by text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL
);
CREATE INDEX trail_by_turn ON holdfast.trail (turn, position);
CREATE INDEX trail_by_requester ON holdfast.trail (requester, position);
CREATE INDEX trail_by_decided_by ON holdfast.trail (decided_by, position) WHERE decided_by <> '';
-- Rows of this table change often; the free space lets PostgreSQL change them in place.
CREATE TABLE holdfast.registers (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  value text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
`;
