/** The services of the shop, and which of them consume an event. A test compares this file with the contracts. */

export const SERVICES = {
  gateway: { row: 'gateway', icon: 'M4 12h11m0 0-4-4m4 4-4 4M20 4v16' },
  product: { row: 'upper', icon: 'M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01' },
  order: { row: 'upper', icon: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6' },
  inventory: { row: 'upper', icon: 'M3 8l9-5 9 5v8l-9 5-9-5zM3 8l9 5 9-5M12 13v8' },
  payment: { row: 'upper', icon: 'M3 6h18v12H3zM3 10h18M7 15h4' },
  auth: { row: 'lower', icon: 'M8 16a4 4 0 1 1 3.5-6H21v4h-2v3h-3v-3h-4.5A4 4 0 0 1 8 16z' },
  notification: { row: 'lower', icon: 'M3 6h18v12H3zM3 7l9 7 9-7' },
  search: { row: 'lower', icon: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5' },
  analytics: { row: 'lower', icon: 'M4 20V10M10 20V4M16 20v-7M21 20H3' },
};

export const CONSUMERS = {
  'auth.user.created.v1': ['notification', 'analytics'],
  'auth.user.verified.v1': ['analytics'],
  'auth.user.role-updated.v1': [],
  'product.product.created.v1': ['search', 'analytics', 'notification', 'order'],
  'product.product.updated.v1': ['search', 'analytics', 'order'],
  'product.product.deleted.v1': ['search', 'order'],
  'product.variant.created.v1': ['inventory', 'search'],
  'product.variant.updated.v1': ['inventory', 'search'],
  'product.variant.deleted.v1': ['inventory', 'search'],
  'inventory.stock.movement.v1': ['analytics'],
  'inventory.stock.reserve-requested.v1': ['inventory'],
  'inventory.stock.reserved.v1': ['order'],
  'inventory.stock.reservation-failed.v1': ['order'],
  'inventory.stock.confirmed.v1': [],
  'inventory.stock.released.v1': ['analytics', 'order'],
  'order.order.placed.v1': ['notification', 'analytics'],
  'order.order.paid.v1': ['inventory', 'notification', 'analytics'],
  'order.order.cancelled.v1': ['inventory', 'payment', 'notification', 'analytics'],
  'order.order.expired.v1': ['inventory', 'payment', 'notification', 'analytics'],
  'order.order.fulfilled.v1': ['notification', 'analytics'],
  'order.fulfillment.requested.v1': [],
  'order.fulfillment.completed.v1': ['order'],
  'payment.intent.requested.v1': ['payment'],
  'payment.intent.created.v1': ['order'],
  'payment.payment.succeeded.v1': ['order', 'inventory', 'notification', 'analytics'],
  'payment.payment.failed.v1': ['order', 'notification'],
  'payment.refund.created.v1': ['analytics', 'notification'],
  'notification.email.sent.v1': ['analytics'],
  'notification.email.failed.v1': [],
};

/** The name of a service without the suffix that the envelope has. */
export function serviceName(source) {
  return String(source ?? '').replace(/-service$/, '');
}

/** "payment succeeded" for payment.payment.succeeded.v1: the entity and what happened to it. */
export function shortTopic(topic) {
  const dead = topic.endsWith('.dlt');
  const parts = topic.replace(/\.dlt$/, '').split('.');
  const name = parts.length >= 4 ? `${parts[1]} ${parts[2].replaceAll('-', ' ')}` : topic;
  return dead ? `${name} †` : name;
}
