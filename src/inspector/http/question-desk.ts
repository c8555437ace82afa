// The list of questions that an inspector shows.
import type { Questions } from "../../ready-hooks/index.js";

/** The parts of a list of `questions()` that an inspector uses. */
export type QuestionDesk = Pick<Questions, "open" | "answer" | "on">;
