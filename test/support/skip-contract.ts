/** Shows in the report which contract did not run, and the service that is missing. */
export function skipContract(title: string, fault: string): void {
  it.skip(`${title}: ${fault}`, () => {});
}
