import { render } from "preact";
import { Operator } from "../chat/views/operator/operator.tsx";
import { type OperatorPart, PageContext } from "../chat/views/page-model.ts";

/**
 * Shows the operator's view. This script has its own copy of what draws it, so that the page is small without it: signals of the page
 * are read here and written, and the view is drawn anew when the language changes.
 */
export const mount: OperatorPart["mount"] = (place, page) => {
  const draw = (): void => {
    render(
      <PageContext.Provider value={{ ...page }}>
        <Operator />
      </PageContext.Provider>,
      place,
    );
  };
  const stop = [page.locale.subscribe(draw), page.theme.subscribe(draw)];
  return () => {
    for (const each of stop) each();
    render(null, place);
  };
};
