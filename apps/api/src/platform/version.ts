/** The version of this service, as `/health` and the API description name it. */
export const version = '0.1.0'
