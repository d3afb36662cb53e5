import * as z from "zod";

const limit = z.number().nullable().meta({ description: "null where there is no limit." });

/** Describes the response of `GET /agent/usage`. */
export const ownUsageSchema = z.object({
  caller: z.string().nullable().meta({ description: "The owner of the conversations; null for the operator." }),
  tokens_today: z.object({ used: z.int(), limit }).meta({ description: "In this day of UTC." }),
  cost_usd_today: z.object({ used: z.number(), limit }).meta({ description: "As far as prices are known." }),
  resets_at: z.iso.datetime().meta({ description: "When the next day of UTC begins." }),
  runs_now: z.object({ used: z.int(), limit }).meta({ description: "Runs that go on, without those that wait." }),
  runs_per_minute: z.object({ used: z.int(), limit }).meta({ description: "Runs begun in the last 60 seconds." }),
});
