// Preferences of this browser. Storage can be forbidden; then they last as long as the page.
const memory = new Map();

export function stored(name, otherwise) {
  try {
    return localStorage.getItem('waybill.' + name) ?? otherwise;
  } catch {
    return memory.get(name) ?? otherwise;
  }
}

export function store(name, value) {
  memory.set(name, value);
  try {
    localStorage.setItem('waybill.' + name, value);
  } catch {
    // The preference is kept in memory.
  }
}
