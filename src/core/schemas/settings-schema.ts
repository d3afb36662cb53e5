import * as z from "zod";
import { mapLimits, offeredLimits } from "../limits/limits.ts";
import { modeSchema } from "./outcome-schema.ts";

export const localeSchema = z.enum(["zh", "en"]);

const parameters = z.object({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional().meta({ description: "Output tokens." }),
});

const modelName = z.string().meta({ description: "provider/model, or offline." });

/** Describes the response of `GET /agent/settings`. */
export const settingsSchema = z.object({
  version: z.string(),
  locale: localeSchema,
  modes: z.array(modeSchema),
  mode: modeSchema.meta({ description: "The default of a question that sets none." }),
  start_mode: modeSchema.meta({ description: "In which a person's chat starts: DEFAULT_MODE." }),
  models: z.object({ function_call: modelName, answer: modelName }).meta({ description: "The current models." }),
  choices: z
    .array(modelName)
    .meta({ description: "Models that a question may choose instead; the current models first." }),
  agents: z
    .array(z.object({ name: z.string(), description: z.string() }))
    .meta({ description: "Agents that a question may choose instead of the main one." }),
  parameters: z
    .object({ function_call: parameters, answer: parameters })
    .meta({ description: "Parameters of the current models; those that are absent have the model's own default." }),
  search: z.object({
    available: z.boolean().meta({ description: "Whether there is a web_search tool." }),
    enabled: z.boolean().meta({ description: "Whether chat mode searches unless the question says otherwise." }),
    reason: z.enum(["off", "no_service", "not_permitted"]).nullable().meta({
      description:
        "Why there is no web_search: turned off, no service available, not allowed for this caller; null where there is one.",
    }),
  }),
  keep_history: z
    .boolean()
    .meta({ description: "Whether the page carries the history over where the mode or a model is switched." }),
  titles: z.boolean().meta({ description: "Whether a model writes titles for questions with make_title." }),
  operator: z.boolean().meta({ description: "Whether the operator's view is open to whoever asks." }),
  undo_s: z.int().meta({ description: "Seconds for which a deletion with undo can be taken back." }),
  attachments: z
    .object({
      max_files: z.int(),
      max_file_bytes: z.int().meta({ description: "Of one file." }),
      max_bytes: z.int().meta({ description: "Of all files of a question together." }),
      max_body_bytes: z.int().meta({ description: "Of a whole request, in which base64 takes a third more." }),
      kinds: z.array(
        z.object({
          kind: z.enum(["image", "pdf", "word", "excel", "text"]),
          media_types: z.array(z.string()),
          extensions: z.array(z.string()),
        }),
      ),
    })
    .meta({ description: "What may come with a question." }),
  limits: z
    .object(
      mapLimits(
        offeredLimits,
        ({ ask }) => ask,
        ({ range }) => ("above" in range ? z.number() : z.int()),
      ),
    )
    .meta({ description: "The default of a question that sets none." }),
});

export type SettingsJson = z.infer<typeof settingsSchema>;
