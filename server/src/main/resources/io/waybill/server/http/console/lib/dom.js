// The rendering layer: Preact with htm's tagged templates. Text is always inserted as text; no module inserts HTML.
import { h, render, Fragment } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export { render, Fragment };
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useErrorBoundary, useId } from '../vendor/hooks.js';
export const html = htm.bind(h);

/** A value that components can subscribe to. */
export function cell(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      [...listeners].forEach(listener => listener(value));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
