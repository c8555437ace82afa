// Keeps the sessions of llama-hooks in PostgreSQL. Pass a pool of the package `pg` (tested with 8.23):
//   createEngine({ sessionStore: await postgresStore(new Pool({ connectionString })) })
// Each method is one statement, so it happens as a whole. The clock of the server decides when a lease has expired. The
// record is text, not jsonb, which would change its large numbers.
const tables = `
  CREATE TABLE IF NOT EXISTS llama_sessions (
    id text PRIMARY KEY, tags jsonb NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
    messages integer NOT NULL, record text NOT NULL);
  ALTER TABLE llama_sessions ADD COLUMN IF NOT EXISTS waiting jsonb;
  CREATE INDEX IF NOT EXISTS llama_sessions_by_time ON llama_sessions (updated_at DESC, id DESC);
  CREATE TABLE IF NOT EXISTS llama_leases (
    id text PRIMARY KEY, fence bigint NOT NULL, holder text NOT NULL, expires_at timestamptz NOT NULL);`;
const isMine = "EXISTS (SELECT 1 FROM llama_leases WHERE id = $1 AND fence = $2 FOR UPDATE)";
const expiry = (ms) => `clock_timestamp() + ${ms} * interval '1 millisecond'`;

const infoOf = ({ id, tags, created_at, updated_at, messages, waiting }) => ({
  id,
  tags,
  createdAt: Number(created_at),
  updatedAt: Number(updated_at),
  messages,
  ...(waiting && { waiting }),
});

/** Creates the tables if they are missing. */
export async function postgresStore(pool) {
  // Two processes that create a table at the same time would disturb each other.
  await pool.query(`BEGIN; SELECT pg_advisory_xact_lock(7266372); ${tables} COMMIT`);
  const changes = async (sql, ...values) => (await pool.query(sql, values)).rowCount > 0;
  return {
    name: "PostgreSQL",
    async load(id) {
      const { rows } = await pool.query("SELECT * FROM llama_sessions WHERE id = $1", [id]);
      return rows[0] && { ...infoOf(rows[0]), record: rows[0].record };
    },
    save: ({ id, tags, createdAt, updatedAt, messages, waiting, record }, fence) =>
      changes(
        `INSERT INTO llama_sessions AS s (id, tags, created_at, updated_at, messages, record, waiting)
         SELECT $1, $3::jsonb, $4::bigint, $5::bigint, $6::integer, $7, $8::jsonb WHERE ${isMine}
         ON CONFLICT (id) DO UPDATE
           SET tags = $3::jsonb, updated_at = $5, messages = $6, record = $7, waiting = $8::jsonb`,
        id,
        fence,
        JSON.stringify(tags),
        createdAt,
        updatedAt,
        messages,
        record,
        waiting === undefined ? null : JSON.stringify(waiting),
      ),
    async list({ tags = {}, before, after, limit }) {
      const { rows } = await pool.query(
        `SELECT id, tags, created_at, updated_at, messages, waiting FROM llama_sessions
         WHERE tags @> $1 AND ($2::float8 IS NULL OR updated_at < $2) AND ($3::float8 IS NULL OR updated_at > $3)
         ORDER BY updated_at DESC, id COLLATE "C" DESC LIMIT $4`,
        [JSON.stringify(tags), before ?? null, after ?? null, limit ?? null],
      );
      return rows.map(infoOf);
    },
    async delete(id, fence) {
      const deleted = await changes(`DELETE FROM llama_sessions WHERE id = $1 AND ${isMine}`, id, fence);
      if (deleted) await changes("DELETE FROM llama_leases WHERE id = $1 AND fence = $2", id, fence);
      return deleted;
    },
    async acquire(id, { holder, ttlMs, dead = -1 }) {
      const asked = await pool.query(
        `INSERT INTO llama_leases AS l
           VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $2, ${expiry("$3")})
         ON CONFLICT (id) DO UPDATE
           SET fence = greatest(excluded.fence, l.fence + 1), holder = $2, expires_at = ${expiry("$3")}
           WHERE l.expires_at <= clock_timestamp() OR l.fence = $4 RETURNING fence`,
        [id, holder, ttlMs, dead],
      );
      if (asked.rowCount > 0) return { fence: Number(asked.rows[0].fence) };
      const { rows } = await pool.query(
        `SELECT fence, holder, extract(epoch FROM expires_at - clock_timestamp()) * 1000 AS left
         FROM llama_leases WHERE id = $1`,
        [id],
      );
      const [held] = rows;
      if (held === undefined) return this.acquire(id, { holder, ttlMs, dead }); // it was deleted meanwhile
      return { heldBy: held.holder, fence: Number(held.fence), expiresInMs: Math.max(0, Number(held.left)) };
    },
    renew: (id, fence, ttlMs) =>
      changes(`UPDATE llama_leases SET expires_at = ${expiry("$3")} WHERE id = $1 AND fence = $2`, id, fence, ttlMs),
    async release(id, fence) {
      await changes("UPDATE llama_leases SET expires_at = clock_timestamp() WHERE id = $1 AND fence = $2", id, fence);
      // An id without a session needs no row.
      const unknown = "NOT EXISTS (SELECT 1 FROM llama_sessions WHERE id = $1)";
      await changes(`DELETE FROM llama_leases WHERE id = $1 AND fence = $2 AND ${unknown}`, id, fence);
    },
  };
}
