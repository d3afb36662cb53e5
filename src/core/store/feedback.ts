import type * as z from "zod";
import type { feedbackSchema } from "../schemas/trace-schema.ts";

/** Holds what a person thinks of an answer: a rating, a comment that may be empty, and when it was given. */
export type Feedback = z.infer<typeof feedbackSchema>;

/** Limits a comment, in characters. */
export const longestComment = 2_000;
