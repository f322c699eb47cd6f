// What the server allows; the page only leaves out what would be refused.
const rights = {
    kpi: ['auditor', 'quality', 'admin'],
    audit: ['auditor', 'admin'],
    changeSuppliers: ['procurement', 'admin'],
    changeNcs: ['quality', 'admin'],
};

export const may = (session, what) => rights[what].includes(session.role);
