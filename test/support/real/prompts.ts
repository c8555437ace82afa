// Prompts of people, for answers that are compared.
// prettier-ignore
const subjects = [
  "rain", "a lighthouse", "the moon", "bread", "a violin", "the sea", "honey bees", "a steam engine", "chess", "snow",
  "Oslo", "the Nile", "volcanoes", "a library", "coffee", "whales", "the alphabet", "glass", "a bicycle", "time",
];
const questions: ((subject: string) => string)[] = [
  (subject) => `Write one sentence about ${subject}.`,
  (subject) => `What is ${subject}? Answer for a child of ten.`,
  (subject) => `The history of ${subject} begins`,
  (subject) => `List three facts about ${subject}:\n1.`,
  (subject) => `def describe(name):\n    """Describes ${subject}."""\n`,
];

/** `count` different prompts, up to 100. */
export const prompts = (count: number): string[] =>
  subjects.flatMap((subject) => questions.map((question) => question(subject))).slice(0, count);

/** A beginning of some 200 tokens for a cache. */
export const preamble = `You help a small museum. It shows the history of work by the sea: nets, ropes, maps, lamps and
boats, and what people ate on long journeys. Visitors ask short questions and want short answers. Some are children, some
are teachers, and a few come from far away and speak other languages. The museum opens at nine in the morning and closes at
five in the afternoon, except on Mondays, when the rooms are cleaned and the old engine is oiled. There is a garden with a
bench, a shop with books and postcards, and a tower with a lamp that was lit every night for two hundred years. Nobody may
touch the objects, but everybody may ask about them. The oldest object is a wooden bowl, and the newest is a radio. When you
do not know something, say so, and name a book or a person who may know it. Here is a question of a visitor.`;
