// Keeps the sessions of llama-hooks in Redis. Pass a connected client of the package `redis` (tested with 6.3):
//   createEngine({ sessionStore: redisStore(await createClient({ url }).connect()) })
// Redis runs each script as a whole, so no other change happens between a check and the change that depends on it. A
// session is a hash, its lease another, and a sorted set orders the sessions by time. The keys of a session share a
// hash tag, but the set does not: for a cluster, leave the set out and keep the order in another database.
import { matchesQuery } from "llama-hooks";

// Redis' own clock decides, because the clocks of machines differ.
const now = `local t = redis.call("TIME"); local ms = t[1] * 1000 + math.floor(t[2] / 1000);`;
const isMine = `if redis.call("HGET", KEYS[2], "fence") ~= ARGV[1] then return 0 end;`;
const scripts = {
  acquire: `${now}
    local fence, holder, expires = unpack(redis.call("HMGET", KEYS[2], "fence", "holder", "expires"))
    local left = tonumber(expires or 0) - ms
    if left > 0 and fence ~= ARGV[3] then return { fence, holder, string.format("%.0f", left) } end
    local next = math.max(tonumber(fence or 0) + 1, t[1] * 1000000 + t[2])
    next = string.format("%.0f", next)
    redis.call("HSET", KEYS[2], "fence", next, "holder", ARGV[1], "expires", string.format("%.0f", ms + ARGV[2]))
    return { next }`,
  save: `${isMine}
    redis.call("HSET", KEYS[1], "info", ARGV[2], "record", ARGV[3])
    redis.call("ZADD", KEYS[3], ARGV[4], ARGV[5])
    return 1`,
  delete: `${isMine}
    redis.call("DEL", KEYS[2])
    redis.call("ZREM", KEYS[3], ARGV[2])
    return redis.call("DEL", KEYS[1])`,
  renew: `${isMine} ${now} redis.call("HSET", KEYS[2], "expires", string.format("%.0f", ms + ARGV[2])) return 1`,
  // An id without a session needs no key.
  release: `${isMine}
    if redis.call("EXISTS", KEYS[1]) == 0 then return redis.call("DEL", KEYS[2]) end
    return redis.call("HSET", KEYS[2], "expires", "0")`,
};

export function redisStore(client, { prefix = "llama-hooks" } = {}) {
  const byTime = `${prefix}:by-time`;
  const key = (id) => `${prefix}:{${id}}:session`;
  const run = (script, id, ...values) =>
    client.eval(scripts[script], {
      keys: [key(id), `${prefix}:{${id}}:lease`, byTime],
      arguments: values.map(String),
    });
  return {
    name: "Redis",
    async load(id) {
      const { info, record } = await client.hGetAll(key(id));
      return info === undefined ? undefined : { ...JSON.parse(info), record };
    },
    async save({ record, ...info }, fence) {
      return (await run("save", info.id, fence, JSON.stringify(info), record, info.updatedAt, info.id)) === 1;
    },
    async list(query) {
      const { before, after, limit = Infinity } = query;
      const [from, to] = [before === undefined ? "+inf" : `(${before}`, after === undefined ? "-inf" : `(${after}`];
      const found = [];
      // Reads page by page: a session's tags are known only after it has been read.
      for (let offset = 0, size = 100; found.length < limit; offset += size) {
        const page = { BY: "SCORE", REV: true, LIMIT: { offset, count: size } };
        const ids = await client.zRange(byTime, from, to, page);
        const infos = await Promise.all(ids.map((id) => client.hGet(key(id), "info")));
        found.push(
          ...infos.flatMap((info) => (info ? JSON.parse(info) : [])).filter((info) => matchesQuery(info, query)),
        );
        if (ids.length < size) break;
      }
      return found.slice(0, limit);
    },
    delete: async (id, fence) => (await run("delete", id, fence, id)) === 1,
    async acquire(id, { holder, ttlMs, dead = "" }) {
      const [fence, heldBy, expiresInMs] = await run("acquire", id, holder, ttlMs, dead);
      const lease = { fence: Number(fence) };
      return heldBy === undefined ? lease : { ...lease, heldBy, expiresInMs: Number(expiresInMs) };
    },
    renew: async (id, fence, ttlMs) => (await run("renew", id, fence, ttlMs)) === 1,
    release: async (id, fence) => void (await run("release", id, fence)),
  };
}
