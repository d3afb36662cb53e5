import type { ErrorCode } from "../kit/errors.ts";

/** Lists the errors that every other attempt would have, too, and that say nothing about a model's answers. */
export const endingErrors: ReadonlySet<string> = new Set<ErrorCode>(["config", "auth", "quota", "model_not_found"]);
