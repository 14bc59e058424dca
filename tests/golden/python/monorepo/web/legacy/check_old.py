def it_is_in_a_folder_that_is_not_recursed_into():
    pass
