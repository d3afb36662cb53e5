import * as z from "zod";
import type { JsonValue } from "../../kit/json.ts";

/** Accepts every value, because whatever was parsed from JSON is JSON. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.any();
