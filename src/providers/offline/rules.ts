import type { Rule } from "./rule.ts";
import { analyseLog } from "./rules/analyse-log.ts";
import { calculate } from "./rules/calculate.ts";
import { echo } from "./rules/echo.ts";
import { fetchPage } from "./rules/fetch-page.ts";
import { findFiles, findInFiles } from "./rules/find-files.ts";
import { lookUp, searchWeb } from "./rules/search-web.ts";
import { tellTime } from "./rules/tell-time.ts";
import { weather, weatherOnWeb } from "./rules/weather.ts";

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
