import {notify} from './dom.js';

// Sends a form once, says what went wrong, and empties it only when it went right.
export function submitted(send, changed) {
    return async event => {
        event.preventDefault();
        const form = event.target;
        const button = form.querySelector('button');
        button.disabled = true;
        try {
            await send();
            form.reset();
        } catch (error) {
            notify(error.message, true);
        }
        button.disabled = false;
        changed();
    };
}
