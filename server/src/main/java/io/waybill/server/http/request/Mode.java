package io.waybill.server.http.request;

/**
 * The limits of this instance, which apply to users of every role.
 *
 * @param readOnly refuses every change
 * @param edit allows edit and replay
 */
public record Mode(boolean readOnly, boolean edit) {

    public boolean allows(Permission permission) {
        return !(readOnly && permission.changes()) && (edit || permission != Permission.EDIT);
    }

    /** Why the instance does not allow a permission that the role has. */
    String refusal() {
        return readOnly ? "This instance is read-only." : "Editing events is switched off in this instance.";
    }

    String remedy() {
        return readOnly ? "Use another instance, or remove console.read-only." : "Set console.edit to true.";
    }
}
