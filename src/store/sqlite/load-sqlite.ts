type Sqlite = typeof import("node:sqlite");

/**
 * Node's own SQLite, read when first asked for. Node 22 says on stderr that it is experimental, at this very moment;
 * that one warning is dropped, every other one goes its way.
 */
export function loadSqlite(load: () => Sqlite = () => process.getBuiltinModule("node:sqlite")): Sqlite {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply(target, self, words) {
      if (!isAboutSqlite(words)) Reflect.apply(target, self, words);
    },
  });
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isAboutSqlite([warning, kind]: unknown[]): boolean {
  return kind === "ExperimentalWarning" && String(warning).startsWith("SQLite ");
}
