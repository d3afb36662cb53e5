import type { Setting, SettingGroup } from "../settings/setting.ts";
import { fileSettings } from "../settings/settings.ts";
import { parseOnce, toObjectSchema } from "./object-schema.ts";

/**
 * Returns for each group of the file that has defaults what it holds where it is absent. The build puts the objects themselves in
 * place of this file (`scripts/build/absent-groups.mjs`), because no start needs the schemas of all groups.
 */
export const absentGroups: Readonly<Record<string, () => Record<string, unknown>>> = Object.fromEntries(
  Object.entries<Setting | SettingGroup>(fileSettings).flatMap(([key, row]) =>
    "rows" in row && row.presence === "defaults" ? [[key, createDefaults(row)]] : [],
  ),
);

function createDefaults({ rows }: SettingGroup): () => Record<string, unknown> {
  let schema: ReturnType<typeof toObjectSchema> | undefined;
  return () => {
    schema ??= toObjectSchema(rows);
    return schema.parse({}, parseOnce);
  };
}
