import * as z from "zod";
import type { Config } from "../../config/config.ts";
import { editSettings, readSettingsFile } from "../../config/edit-settings.ts";
import { createOverview } from "../../config/overview.ts";
import { createFileJsonSchema } from "../../config/schema/file-schema.ts";
import { editableSettings } from "../../config/settings/editable-settings.ts";
import { getValue } from "../../config/sources/setting-path.ts";
import { jsonValueSchema } from "../../core/schemas/json-value-schema.ts";
import type { operatorSettingsSchema } from "../../core/schemas/operator-schema.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import type { Route } from "../http/routes.ts";
import { type ConfigEditor, longestChange } from "./settings-editor.ts";

/** Describes the body of `PATCH /operator/settings`. */
export const settingChangesBody = z.strictObject({
  set: z.record(z.string(), jsonValueSchema).optional().describe("Values by their keys, such as agent.maxIterations."),
  unset: z.array(z.string()).optional().describe("Keys that the file is no longer to have."),
});

/** Serves the settings to the operator. What is changed counts from the next start on, as with a change of the file by hand. */
export function createOperatorSettingsRoute(config: Config, editor: ConfigEditor): Route {
  return {
    GET: async () => toJsonResponse(await describeSettings(config)),
    async PATCH(call) {
      const { set = {}, unset = [] } = readFields(settingChangesBody, await readJsonBody(call, longestChange));
      const keys = [...Object.keys(set), ...unset].join(", ");
      const what = { zh: `管理员修改了设置：${keys}`, en: `the operator changed settings: ${keys}` };
      await editor.change(what, createLeaveSignal(call.connection), () => editSettings(config, { set, unset }));
      return toJsonResponse(await describeSettings(config));
    },
  };
}

/**
 * Matches the settings that are not shown: how servers, other agents and hooks are started, with what environment, and what
 * programs give keys.
 */
const hidden = /^(?:mcpServers|servers|inputs|hooks)\b|^agents\.[^.]+\.acp\b|\.apiKeyCommand\b/;

async function describeSettings(config: Config): Promise<z.infer<typeof operatorSettingsSchema>> {
  const { values, origins } = createOverview(config);
  const written = await ignoreRejection(readSettingsFile(config), "a change says what is wrong with the file");
  const schema = createFileJsonSchema();
  const keys = [...new Set([...Object.keys(origins), ...editableSettings])].filter((key) => !hidden.test(key));
  return {
    file: config.file ?? null,
    settings: keys.map((key) => {
      const path = key.split(".");
      const isEditable = editableSettings.includes(key);
      const { from, ...place } = origins[key] ?? { from: "default" as const };
      return {
        key,
        value: toJsonValue(getValue(values, path)),
        source: from,
        source_name: "name" in place ? place.name : null,
        editable: isEditable,
        ...(isEditable && { file_value: toJsonValue(getValue(written, path)), schema: findSchema(schema, path) }),
      };
    }),
  };
}

/** Returns the part of a JSON Schema that describes a value. */
function findSchema(schema: unknown, path: readonly string[]): Record<string, unknown> {
  let found: unknown = schema;
  for (const key of path) found = isRecord(found) && isRecord(found.properties) ? found.properties[key] : undefined;
  return isRecord(found) ? found : {};
}

function toJsonValue(value: unknown): z.infer<typeof jsonValueSchema> {
  return jsonValueSchema.parse(JSON.parse(JSON.stringify(value ?? null)));
}
