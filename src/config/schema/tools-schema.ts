import * as z from "zod";
import { findPermitProblem, parseToolPattern } from "../../core/tools/tool-pattern.ts";
import type { Text } from "../../kit/locale.ts";
import { text, withAllowed } from "./schema-parts.ts";

const toolPatterns = z.array(
  ruled((written) => {
    const parsed = parseToolPattern(written);
    return "problem" in parsed ? parsed.problem : undefined;
  }),
);

/** Accepts a text for which `problem` returns undefined. Otherwise `problem` says what is allowed. */
function ruled(problem: (written: string) => Text | undefined) {
  return text.superRefine((written, context) => {
    const allowed = problem(written);
    if (allowed) context.addIssue({ code: "custom", input: written, ...withAllowed(allowed) });
  });
}

/** Accepts the patterns of a rule that allows. */
export const permitPatterns = z.array(ruled(findPermitProblem));

export const toolsSchema = z
  .strictObject({
    allow: permitPatterns
      .default(["*"])
      .meta({ description: "Available tools; `*` is any run of characters, `shell(ls *)` calls with such arguments." }),
    deny: toolPatterns
      .default([])
      .meta({ description: "Tools, or calls, that never run; takes precedence over everything else." }),
    ask: toolPatterns.default(["*:destructive"]).meta({ description: "Calls that need a person's consent." }),
    newTools: z.enum(["stop", "allow"]).default("stop").meta({
      description: "What happens to a tool that a known server adds later: stop until it is approved, or allow.",
    }),
    searchAbove: z.number().min(0).max(1).default(0.1).meta({
      description: "Share of the model's context window above which servers' tools are searched, not listed.",
    }),
    directory: text.optional().meta({
      description:
        "Your own tool modules and skills, relative to this file; absent: tools/ in Duet's own directory of configuration.",
    }),
    roots: z.array(text).min(1).default(["."]).meta({ description: "Directories that file tools may read." }),
  })
  .meta({ description: "Which tools are available and which may run." });
