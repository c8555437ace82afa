// Stores sessions in a folder and in a database; a second process continues those of the first.
import { createEngine, sqliteStore } from "llama-hooks";

for (const sessionStore of ["talks", sqliteStore("talks.db")]) {
  const engine = await createEngine({ gpu: false, threads: 1, sessionStore });
  const options = { temperature: 0, autosave: true };
  const before = await engine.sessions.list();
  const session =
    before.length === 0
      ? await engine.sessions.open({ ...options, id: "talk" })
      : await engine.sessions.resume("talk", options);
  await session.run("Hello!");
  console.log(before.length, session.history().length);
  await engine.close();
}
