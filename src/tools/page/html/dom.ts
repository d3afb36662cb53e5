/** As much of the DOM as we use of it. */
export interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly firstChild: PageNode | null;
  readonly parentElement: PageElement | null;
  readonly previousSibling: PageNode | null;
  readonly nextSibling: PageNode | null;
  textContent: string;
  remove(): void;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  readonly className: string;
  readonly id: string;
  readonly children: Iterable<PageElement>;
  readonly firstElementChild: PageElement | null;
  readonly previousElementSibling: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  cloneNode(deep: boolean): PageElement;
  before(...nodes: (PageNode | string)[]): void;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  appendChild(node: PageNode): void;
  replaceWith(...nodes: (PageNode | string)[]): void;
  getElementsByTagName(name: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
}

export interface PageDocument {
  readonly title: string;
  readonly documentElement: PageElement;
  readonly head: PageElement;
  readonly body: PageElement;
  createElement(name: string): PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getElementsByTagName(name: string): Iterable<PageElement>;
}

const elementNode = 1;
export const textNode = 3;

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === elementNode;
}
