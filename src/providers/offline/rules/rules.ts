import { calculate } from "../arithmetic/calculate.ts";
import { analyseLog } from "./analyse-log.ts";
import { echo } from "./echo.ts";
import { fetchPage } from "./fetch-page.ts";
import { findFiles, findInFiles } from "./find-files.ts";
import type { Rule } from "./rule.ts";
import { lookUp, searchWeb } from "./search-web.ts";
import { tellTime } from "./tell-time.ts";
import { weather, weatherOnWeb } from "./weather.ts";

/** In order of precedence: of the rules that recognise a request, the first whose tool is on offer takes it. */
export const rules: readonly Rule[] = [
  echo,
  findFiles,
  fetchPage,
  analyseLog,
  weather,
  weatherOnWeb,
  tellTime,
  searchWeb,
  findInFiles,
  calculate,
  lookUp,
];
