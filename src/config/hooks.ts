import { hookEvents } from "../core/hooks.ts";
import type { HookSettings } from "./config.ts";
import type { Settings } from "./schema/file-schema.ts";

/** Returns the hooks of the events at which some run, with the paths of their modules resolved. */
export function readHooks(
  settings: Settings["hooks"],
  resolvePath: (key: string, path: string) => string,
): HookSettings {
  const hooks: HookSettings = {};
  for (const event of hookEvents) {
    const groups = settings[event] ?? [];
    if (groups.length === 0) continue;
    hooks[event] = groups.map((group) => ({
      ...group,
      hooks: group.hooks.map((hook) =>
        hook.module === undefined ? hook : { ...hook, module: resolvePath(`hooks.${event}`, hook.module) },
      ),
    }));
  }
  return hooks;
}

/** Names the settings of events at which nothing runs. */
export function listUnusedEvents(settings: Settings["hooks"]): string[] {
  const known: readonly string[] = hookEvents;
  return Object.entries(settings).flatMap(([event, groups]) =>
    groups === undefined || known.includes(event) ? [] : [`hooks.${event}`],
  );
}
