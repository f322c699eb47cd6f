// The token lives in this tab only, and is gone with it.
const kept = 'quality-token';

export class ApiError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

export function session() {
    const token = sessionStorage.getItem(kept);
    if (!token) {
        return null;
    }
    try {
        const claims = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
        return claims.exp * 1000 > Date.now() ? {user: claims.sub, role: claims.role, token} : null;
    } catch {
        return null;
    }
}

export async function login(username, password) {
    const answer = await request('POST', 'auth/login', {username, password});
    sessionStorage.setItem(kept, answer.access_token);
}

export function logout() {
    sessionStorage.removeItem(kept);
}

export const get = path => request('GET', path);
export const post = (path, body) => request('POST', path, body);
export const patch = (path, body) => request('PATCH', path, body);

async function request(method, path, body) {
    const headers = {Accept: 'application/json'};
    const current = session();
    if (current) {
        headers.Authorization = `Bearer ${current.token}`;
    }
    if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
    }
    let response;
    try {
        response = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
    } catch {
        throw new ApiError(0, method === 'GET'
            ? 'The service does not answer. It may be starting again; nothing that was confirmed is lost.'
            : 'The service did not answer. Whether the change was stored is unknown; the page shows it when the service is back.');
    }
    const text = await response.text();
    const answer = text ? readJson(text) : null;
    if (!response.ok) {
        throw new ApiError(response.status, answer?.detail ?? answer?.title ?? `${method} ${path}: ${response.status}`);
    }
    return answer;
}

function readJson(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
