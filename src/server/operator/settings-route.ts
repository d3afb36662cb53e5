import * as z from "zod";
import type { Config } from "../../config/config.ts";
import { editSettings, readSettingsFile, type SettingChanges } from "../../config/edit-settings.ts";
import { createOverview } from "../../config/overview.ts";
import { createFileJsonSchema } from "../../config/schema/file-schema.ts";
import { editableSettings } from "../../config/settings/editable-settings.ts";
import { getValue } from "../../config/sources/setting-path.ts";
import type { operatorSettingsSchema } from "../../core/schemas/operator-schema.ts";
import { jsonValueSchema } from "../../core/schemas/outcome-schema.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createKeyedMutex } from "../../kit/async/semaphore.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Route } from "../http/routes.ts";
import type { Log } from "../operations/log.ts";
import { withOperatorAlone } from "./check-operator.ts";

/** Limits a change, in bytes. */
const longestBody = 65_536;

/** Describes the body of `PATCH /operator/settings`. */
export const settingChangesBody = z.strictObject({
  set: z.record(z.string(), jsonValueSchema).optional().describe("Values by their keys, such as agent.maxIterations."),
  unset: z.array(z.string()).optional().describe("Keys that the file is no longer to have."),
});

/** Serves the settings to the operator. What is changed counts from the next start on, as with a change of the file by hand. */
export function createOperatorSettingsRoute(config: Config, log: Log): Route {
  const lock = createKeyedMutex();

  /** Changes the file after all changes that were asked for earlier: each is made to what the one before has left. */
  async function change(changes: SettingChanges, signal: AbortSignal): Promise<void> {
    const release = await lock(config.file ?? "", signal);
    try {
      await editSettings(config, changes);
    } finally {
      release();
    }
    const keys = [...Object.keys(changes.set), ...changes.unset].join(", ");
    log(say(config.locale, { zh: `管理员修改了设置：${keys}`, en: `the operator changed settings: ${keys}` }));
  }

  return {
    GET: withOperatorAlone(config.serve.http, async () => toJsonResponse(await describeSettings(config))),
    PATCH: withOperatorAlone(config.serve.http, async (call) => {
      const { set = {}, unset = [] } = readFields(settingChangesBody, await readJsonBody(call, longestBody));
      await change({ set, unset }, createLeaveSignal(call.connection)).catch((thrown: unknown) => {
        throw thrown instanceof DuetError ? toRefusalError(thrown) : thrown;
      });
      return toJsonResponse(await describeSettings(config));
    }),
  };
}

async function describeSettings(config: Config): Promise<z.infer<typeof operatorSettingsSchema>> {
  const { values, origins } = createOverview(config);
  const written = await ignoreRejection(readSettingsFile(config), "a change says what is wrong with the file");
  const schema = createFileJsonSchema();
  const keys = [...new Set([...Object.keys(origins), ...editableSettings])];
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

function toRefusalError({ text, hint, code }: DuetError): HttpRefusalError {
  return new HttpRefusalError({ status: code === "config" ? 400 : 409, error: "invalid_request", text, hint });
}
