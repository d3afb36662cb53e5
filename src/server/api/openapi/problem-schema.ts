import * as z from "zod";
import { errorCodes } from "../../../kit/errors.ts";

/** What is said of a request that is not served: problem details (RFC 9457). */
export const problemSchema = z.object({
  type: z.string().meta({ description: "urn:duet:error: and the code." }),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: "What is wrong, with the value and what is allowed." }),
  code: z.enum(errorCodes),
  hint: z.string().nullable().meta({ description: "What to do about it." }),
});

/** The same as OpenAI words it, under `/v1`. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
