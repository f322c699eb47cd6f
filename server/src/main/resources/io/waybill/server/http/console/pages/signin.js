import { html, useState } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { api, session } from '../lib/api.js';
import { visible } from '../lib/format.js';
import { Problem } from '../ui/basics.js';
import { icons } from '../ui/icons.js';

export function SignIn() {
  const who = useCell(session);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async event => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      session.set(await api.signIn(form.get('user'), form.get('password')));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const brand = html`<h1 class="brand">${icons.brand()} Waybill</h1><p class="soft">${visible(who.instance)}</p>`;
  if (who.signIn === 'token') {
    return html`<main class="signin"><form>${brand}<p>This console accepts bearer tokens of your identity provider only.
      Open it through the proxy that signs you in.</p><p class="soft">If you came through it, the token has expired, or its role claim names no role of Waybill.</p></form></main>`;
  }
  return html`<main class="signin"><form onSubmit=${submit}>
    ${brand}
    <label class="field">User<input name="user" autocomplete="username" required maxlength="200" autofocus /></label>
    <label class="field">Password<input name="password" type="password" autocomplete="current-password" required maxlength="1000" /></label>
    <${Problem} error=${error} />
    <button type="submit" class="primary" disabled=${busy}>${busy ? 'Signing in …' : 'Sign in'}</button>
  </form></main>`;
}
