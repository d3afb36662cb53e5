import type { Config } from "../../config/config.ts";
import type { Text } from "../../kit/locale.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import type { OpenedHooks } from "../../tools/hooks/open-hooks.ts";

/** Opens the hooks of the configuration; undefined where it has none. Throws a `config` error for a module that cannot be used. */
export async function openUserHooks(
  { hooks, environment, directory }: Pick<Config, "hooks" | "environment" | "directory">,
  { redactor, warn }: { redactor: Redactor; warn(line: Text): void },
): Promise<OpenedHooks | undefined> {
  if (Object.keys(hooks).length === 0) return undefined;
  const { openHooks } = await import("../../tools/hooks/open-hooks.ts");
  return openHooks({ groups: hooks, directory, environment, redactor, warn });
}
