import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Login } from "../src/Login";

describe("<Login />", () => {
  it("shows the form", () => {
    render(<Login />);
    screen.getByLabelText("Email");
    expect(screen.getByRole("button", { name: "Sign in" })).toBeDisabled();
    expect(screen.queryByText("Welcome")).not.toBeInTheDocument();
  });

  it("enables the button once both fields are filled", async () => {
    render(<Login />);
    await userEvent.type(screen.getByLabelText("Email"), "ann@example.org");
    expect(screen.getByRole("button", { name: "Sign in" })).toBeEnabled();
    expect(screen.getByLabelText("Email")).toHaveValue("ann@example.org");
  });

  it("reports a failed login", async () => {
    const onError = jest.fn();
    render(<Login onError={onError} />);
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("Wrong password");
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 401 }));
  });
});
