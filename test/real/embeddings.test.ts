// Embeddings by a real model are those of its weights in 64-bit numbers (test/support/real/embeddings.py).
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { embedder, embeddings } from "../support/real/models.js";
import { texts } from "../support/real/texts.js";

type Vector = readonly number[];

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);

/** The place of the vector that is nearest to that at `from`. */
function nearest(vectors: readonly Vector[], from: number): number {
  const scores = vectors.map((vector, at) => (at === from ? -1 : dot(vector, vectors[from] ?? [])));
  return scores.indexOf(Math.max(...scores));
}

test("all-MiniLM-L6-v2: embeddings and their neighbours are those of its weights in 64-bit numbers", async () => {
  const engine = await openEngine([], { model: embedder });
  const some = texts(2000)
    .filter((text, at) => at % 13 === 0 && text.length < 120)
    .slice(0, 40);
  const sentences = ["cat", "dog", "violin", "harbour", "tax", "glacier"].flatMap((word) => [
    `The ${word} is old.`,
    `Who has seen the ${word}?`,
    `A ${word}, as they say.`,
    `My ${word} and yours`,
    word,
  ]);
  const all = [...new Set([...some, ...sentences])];
  const [got, expected] = await Promise.all([engine.embed(all), embeddings(all)]);
  const vectors = got.embeddings.map((one) => [...one]);
  const far = all.flatMap((text, at) => {
    const cosine = dot(vectors[at] ?? [], expected[at] ?? []);
    return cosine >= 0.999 ? [] : [{ text, cosine }];
  });
  expect(far).toEqual([]);
  for (let at = 0; at < all.length; ++at) {
    const [ours, theirs] = [nearest(vectors, at), nearest(expected, at)].map((one) => expected[one] ?? []);
    // Two neighbours may be equally near.
    expect(dot(expected[at] ?? [], ours ?? [])).toBeCloseTo(dot(expected[at] ?? [], theirs ?? []), 3);
  }
});

test("all-MiniLM-L6-v2: a search by meaning finds what shares no word with the question", async () => {
  const engine = await openEngine([], { model: embedder });
  const notes = [
    "The invoice must be paid within thirty days.",
    "Our cat sleeps on the radiator all winter.",
    "The server restarts every night at three.",
    "Boil the pasta for nine minutes.",
    "The train to Bergen leaves from platform four.",
  ];
  const questions = [
    "When is the money due?",
    "Where does the pet like to be when it is cold?",
    "At what time is the machine rebooted?",
    "How long do noodles cook?",
    "Which track do I need for my railway journey?",
  ];
  const { embeddings: known } = await engine.embed(notes);
  for (const [at, question] of questions.entries()) {
    const { embedding } = await engine.embed(question);
    const scores = known.map((note) => dot([...note], [...embedding]));
    expect({ question, found: notes[scores.indexOf(Math.max(...scores))] }).toEqual({ question, found: notes[at] });
  }
});
