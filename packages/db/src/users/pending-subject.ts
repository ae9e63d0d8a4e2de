/** Begins a subject that no token can carry: the person's identity is still to be made. */
export const pendingSubject = 'pending:'
