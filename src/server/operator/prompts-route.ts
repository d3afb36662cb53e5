import { dirname, join } from "node:path";
import * as z from "zod";
import { isFileName } from "../../agent/prompts/choose-prompt.ts";
import { listPromptEntries, promptFileNames, writePromptFile } from "../../app/agent/prompt-files.ts";
import type { Config } from "../../config/config.ts";
import { notAllowedError } from "../../config/config-errors.ts";
import { editSettings, loadNextConfig } from "../../config/edit-settings.ts";
import type { operatorPromptsSchema } from "../../core/schemas/operator-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { say } from "../../kit/locale.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import type { Route } from "../http/routes.ts";
import { refuseDuetErrors } from "./refuse-duet-error.ts";
import type { ConfigEditor } from "./settings-editor.ts";

/** Limits a text, in characters. */
const longestText = 50_000;

/** Limits the body of a change, in bytes. */
const longestBody = 524_288;

/** Describes the body of `PATCH /operator/prompts`. */
export const promptChangeBody = z.strictObject({
  name: z.string().describe(`One of ${promptFileNames.join(", ")}.`),
  locale: z.enum(["zh", "en"]),
  text: z.string().max(longestText).nullable().describe("null removes the file of this language."),
});

/** Is the folder that is made beside the configuration file where none is set. */
const usualFolder = "./prompts";

/**
 * Serves the prompts, and writes those of the operator into the folder that the configuration names, by the rules by which that
 * folder is read.
 */
export function createPromptsRoute(config: Config, editor: ConfigEditor): Route {
  async function show(): Promise<Response> {
    const next = (await ignoreRejection(loadNextConfig(config), "a change says what is wrong with the file")) ?? config;
    const { directory } = next.prompts;
    const entries = await refuseDuetErrors(listPromptEntries(directory));
    return toJsonResponse({
      directory: directory ?? null,
      prompts: entries.map(({ name, use, variables, texts: { zh, en }, familyFiles }) => ({
        ...{ name, used_for: say(config.locale, use), variables: [...variables] },
        ...{ zh: { ...zh, file: zh.file ?? null }, en: { ...en, file: en.file ?? null } },
        family_files: [...familyFiles],
      })),
    } satisfies z.infer<typeof operatorPromptsSchema>);
  }

  async function change({ name, locale, text }: z.infer<typeof promptChangeBody>): Promise<void> {
    if (!isFileName(name)) throw unknownPromptError(name);
    const { prompts, file } = await loadNextConfig(config);
    const known = prompts.directory;
    if (known !== undefined || file === undefined) {
      // Without a file nothing names a folder; what says so is the same as for any setting.
      if (known === undefined) return editSettings(config, { set: {}, unset: [] });
      return writePromptFile(known, { name, locale, text: text ?? undefined });
    }
    if (text === null) return;
    await writePromptFile(join(dirname(file), usualFolder), { name, locale, text });
    const set = { "prompts.directory": usualFolder };
    await editSettings(config, { set, unset: [] }, Object.keys(set));
  }

  return {
    GET: show,
    async PATCH(call) {
      const body = readFields(promptChangeBody, await readJsonBody(call, longestBody));
      const what = {
        zh: `管理员修改了提示词：${body.locale}/${body.name}`,
        en: `the operator changed the prompt ${body.locale}/${body.name}`,
      };
      await editor.change(what, createLeaveSignal(call.connection), () => change(body));
      return show();
    },
  };
}

function unknownPromptError(name: string): Error {
  const allowed = promptFileNames.join(", ");
  return notAllowedError("name", showValue(name), { zh: allowed, en: allowed });
}
