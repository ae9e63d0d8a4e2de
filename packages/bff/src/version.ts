/** The version of the portal and operator servers, as `/health` names it. */
export const version = '0.1.0'
