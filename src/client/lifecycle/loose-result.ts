import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isRecord } from "../../kit/json.ts";

/**
 * Takes any object as a result. The package's own schemas refuse a whole list for one bad tool and a whole answer for
 * one block of an unknown type, so we look at each part ourselves.
 */
export const looseResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "duet",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "The result is not an object" }] }),
  },
};
