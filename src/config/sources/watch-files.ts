import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";

export interface FileWatchOptions {
  /**
   * Called when one or more of the files may have been created, changed or removed. Not called again before its promise settles.
   * Must not reject.
   */
  onChange(): Promise<void>;
  /** Ends the watching. */
  signal: AbortSignal;
  /** Sets how long a file must stay unchanged, in milliseconds, because an editor's save is several changes. */
  restMs?: number;
  /** Sets the polling interval in milliseconds, for systems that report no changes. */
  pollMs?: number;
}

/**
 * Watches files that may not be there yet, and survives editors that put a new file in the old one's place. Also calls
 * once soon after the start: what has changed since the files were read is not missed. Keeps no process alive.
 */
export function watchFiles(files: readonly string[], options: FileWatchOptions): void {
  const { onChange, signal, restMs = 300, pollMs = 2000 } = options;
  if (signal.aborted) return;
  let known: string | undefined;
  let resting: NodeJS.Timeout | undefined;
  let restsSince = 0;
  let isLooking = false;
  let wasDisturbed = false;

  /** Looks when nothing has changed for a while; one who never stops writing is looked at all the same. */
  function restartWait(): void {
    if (signal.aborted) return;
    if (resting === undefined) restsSince = performance.now();
    else if (performance.now() - restsSince > 10 * restMs) return;
    clearTimeout(resting);
    resting = setTimeout(checkFiles, restMs).unref();
  }

  async function checkFiles(): Promise<void> {
    resting = undefined;
    if (isLooking) {
      wasDisturbed = true;
      return;
    }
    isLooking = true;
    const now = await describeFiles(files);
    if (now !== known && !signal.aborted) {
      known = now;
      await onChange();
    }
    isLooking = false;
    if (wasDisturbed) restartWait();
    wasDisturbed = false;
  }

  async function poll(): Promise<void> {
    if ((await describeFiles(files)) !== known) restartWait();
  }

  const polling = setInterval(poll, pollMs).unref();
  const watchers = [...new Set(files.map(dirname))].flatMap((folder) => {
    const names = new Set(files.filter((file) => dirname(file) === folder).map((file) => basename(file)));
    return watchFolder(folder, (name) => (name === null || names.has(name) ? restartWait() : undefined));
  });
  signal.addEventListener(
    "abort",
    () => {
      clearInterval(polling);
      clearTimeout(resting);
      for (const watcher of watchers) watcher.close();
    },
    { once: true },
  );
}

/**
 * Watches the folder and not the file, because replacing a file ends its watcher. Returns no watcher when the folder does not
 * exist.
 */
function watchFolder(folder: string, onEvent: (name: string | null) => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => onEvent(name));
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

/** Differs whenever one of the files is another or was written. */
async function describeFiles(files: readonly string[]): Promise<string> {
  const states = files.map((file) =>
    stat(file, { bigint: true }).then(
      ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(":"),
      () => "-",
    ),
  );
  return (await Promise.all(states)).join(" ");
}
