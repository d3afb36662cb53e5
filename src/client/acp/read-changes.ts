import { isRecord } from "../../kit/json.ts";

/** Is a change of a file that an agent tells of: a new file where there is no `oldText`, else the place of the file that it replaces. */
export interface Change {
  path: string;
  oldText: string | undefined;
  newText: string;
}

/** Reads the changes of a call. What a person is shown and what is agreed to are read here alike. */
export function readChanges(content: readonly unknown[] = []): Change[] {
  return content.flatMap((part): Change[] => {
    if (!isRecord(part) || part.type !== "diff") return [];
    const { path, oldText, newText } = part;
    if (typeof path !== "string" || typeof newText !== "string") return [];
    return [{ path, oldText: typeof oldText === "string" ? oldText : undefined, newText }];
  });
}

/** Returns the file as it is after the change, and undefined where the file is not the one that the change tells of. */
export function applyChange({ oldText, newText }: Change, before: string | undefined): string | undefined {
  if (before === undefined) return oldText === undefined || oldText === "" ? newText : undefined;
  if (oldText === before) return newText;
  const parts = oldText === undefined || oldText === "" ? [] : before.split(oldText);
  return parts.length === 2 ? parts.join(newText) : undefined;
}
