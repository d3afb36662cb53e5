import * as z from "zod";

const milliseconds = z.number();

/** Holds the times that were measured of one attempt. A replay has those of its recording. */
export const attemptTimesSchema = z.object({
  total_ms: milliseconds,
  /** Is null where no text of an answer came. */
  first_text_ms: milliseconds.nullable(),
  calls_ms: z.array(milliseconds),
  /** Holds the times of the turns of models by phase. */
  phases: z.record(z.string(), z.array(milliseconds)),
});

export type AttemptTimes = z.infer<typeof attemptTimesSchema>;
